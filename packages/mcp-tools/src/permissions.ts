import { z } from "zod";
import { changes } from "./core/annotations.js";
import { offsetOf } from "./core/arguments.js";
import { defineTool, type GrantedPermission } from "./core/define.js";
import { ToolError } from "./core/errors.js";
import { pageOf } from "./format/text.js";

const PAGE_BYTES = 9_000;

const PermissionSchema = z.object({
  id: z.string(),
  client: z.string(),
  tool: z.string().nullable().describe("Null: every change on the targets."),
  targets: z.array(z.string()),
  until: z.string(),
  grantedBy: z.string(),
});

/** For owners of a bridge whose clients ask. It is listed while there is something to see. */
export const permissions = defineTool({
  name: "permissions",
  title: "Permissions of clients",
  description: "Lists what people allowed clients of mode=ask to do for an hour, or revokes one.",
  input: z.object({
    revoke: z.string().max(64).optional().describe("The id of one to end."),
    offset: offsetOf("permissions"),
  }),
  output: z.object({ permissions: z.array(PermissionSchema) }),
  annotations: changes,
  isForOwners: true,
  listedWhile: "permissions",
  async handler({ revoke, offset }, { permissions: access }) {
    const revoked = revoke === undefined ? undefined : access?.revoke(revoke);
    if (revoke !== undefined && revoked === undefined) {
      throw new ToolError(
        "This permission does not hold any more.",
        "Call permissions to see which do.",
      );
    }
    const held = access?.list() ?? [];
    const lines = held.map((permission) => `${permission.id} ${sentence(permission)}`);
    const { items, next } = pageOf(lines, offset, PAGE_BYTES);
    return {
      text: [
        ...(revoked === undefined ? [] : [`Revoked: ${sentence(revoked)}`]),
        ...(held.length === 0 ? ["No permissions hold now."] : items),
        ...(next === undefined
          ? []
          : [`${held.length - next} more: call permissions with offset ${next}.`]),
      ].join("\n"),
      structured: () => ({ permissions: held.map(facts) }),
    };
  },
});

function facts({ id, client, tool, targets, until, grantedBy }: GrantedPermission) {
  return {
    ...{ id, client, tool: tool ?? null, grantedBy },
    targets: targets.map(({ name }) => name),
    until: new Date(until).toISOString(),
  };
}

function sentence(permission: GrantedPermission): string {
  const { client, tool, targets, until, grantedBy } = facts(permission);
  const where = targets.length === 0 ? "" : ` on ${targets.join(" and ")}`;
  return `${client} may use ${tool ?? "every tool"}${where} until ${until} (allowed by ${grantedBy}).`;
}
