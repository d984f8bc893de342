import type { Kind } from "./core/kind.js";
import { computerKind } from "./kinds/computer/kind.js";
import { pageKind } from "./kinds/page/kind.js";
import { serverKind } from "./kinds/server/kind.js";

/** The kinds that the bridge comes with. A new one is a folder in kinds/ and an entry here. */
export const builtInKinds: readonly Kind[] = [computerKind, serverKind, pageKind];
