import type { Kind } from "./core/kind.js";
import { computerKind } from "./kinds/computer/kind.js";
import { pageKind } from "./kinds/page/kind.js";
import { serverKind } from "./kinds/server/kind.js";

/** The kinds that the bridge comes with. A new one is a folder in kinds/ and an entry here. */
const kinds = [computerKind, serverKind, pageKind] as const;

export const builtInKinds: readonly Kind[] = kinds;

type Merged<Each> = (Each extends unknown ? (each: Each) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Their tools by group. */
export const toolsOfKinds: Merged<(typeof kinds)[number]["tools"]> = Object.assign(
  {},
  ...kinds.map(({ tools }) => tools),
);
