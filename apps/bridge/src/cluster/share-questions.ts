import type { Cluster, Operations } from "@ccbridge/cluster";
import type { QuestionsElsewhere } from "../mcp/sdk/sessionless-handler.js";
import type { Sessionless } from "../mcp/sessions/sessionless.js";
import { sessionPrefix } from "./forward-sessions.js";

interface Asked {
  readonly client: string;
  readonly state: string;
}

const quick = { timeoutMs: 5_000 };

/**
 * Questions to clients of 2026-07-28, which call again with the answer, maybe through another bridge: that one asks the
 * bridge that made the question, which alone can check it and knows whether it was answered already.
 */
export class SharedQuestions {
  readonly #cluster: Cluster;
  sessionless: Pick<Sessionless, "questionsFor"> | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  readonly operations: Operations = {
    "questions.verify": async ({ client, state }: Asked) => {
      const questions = await this.sessionless?.questionsFor(client);
      if (questions === undefined) throw new Error("it was asked of another client");
      return questions.verify(state);
    },
    "questions.use": async ({ client, nonce }: { client: string; nonce: string }) =>
      (await this.sessionless?.questionsFor(client))?.use(nonce) === true,
  };

  elsewhere(client: string): QuestionsElsewhere {
    const cluster = this.#cluster;
    return {
      prefix: sessionPrefix(cluster.id),
      of(state) {
        const [bridge = ""] = state.split(".", 1);
        if (cluster.directory.member(bridge) === undefined) return undefined;
        const ask = (op: string, args: object) => cluster.call(bridge, op, args, quick);
        return {
          verify: (made) => ask("questions.verify", { client, state: made } satisfies Asked),
          use: async (nonce) => (await ask("questions.use", { client, nonce })) === true,
        };
      },
    };
  }
}
