import { expect, it } from "vitest";
import { joinedPort, type ProviderPort } from "../src/index.js";

it("says of a job that had begun, and that no port knows after a move, that it may have run", async () => {
  let move = () => {};
  const running = {
    get: async () => ({ key: "k" }),
    jobs: {
      run: (
        _key: string,
        _order: object,
        _range: object,
        { begun }: { begun(job: object): void },
      ) => {
        begun({ id: "j1", provider: { key: "k" } });
        return new Promise(() => {});
      },
      get: async () => undefined,
      read: async () => undefined,
    },
    changes: {
      subscribe: async (listener: () => void) => {
        move = listener;
        return () => {};
      },
    },
  };
  const port = joinedPort([running as unknown as ProviderPort], {
    select: () => undefined as never,
  });
  const order = { method: "exec-lua", params: {}, summary: "" };
  const reading = port.jobs.run("k", order, { cursor: 0, maxLength: 1 }, { timeoutMs: 60_000 });
  setImmediate(() => move());
  await expect(reading).rejects.toMatchObject({
    code: "disconnected",
    message: expect.stringMatching(/j1.*It may have run\.$/),
  });
});
