import type { TurtlePlace } from "@ccbridge/protocol";
import { z } from "zod";
import { quoted } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";

export const FacingSchema = z.enum(["north", "east", "south", "west"]);

export const placeShape = {
  position: z
    .object({ x: z.int(), y: z.int(), z: z.int() })
    .nullable()
    .describe("Where it is, or null if unknown (set-position)."),
  facing: FacingSchema.nullable().describe("Which way it faces: north is -z, east is +x."),
  certain: z
    .boolean()
    .describe("False when position and facing may be wrong: set them again with set-position."),
  note: z.string().optional().describe("Why it is not certain."),
};

export function placeFacts({ position, facing, certain, note }: TurtlePlace) {
  return {
    position: position ?? null,
    facing: facing ?? null,
    certain,
    ...(note === undefined ? {} : { note: cutEnd(note, 300) }),
  };
}

export function placeText(place: TurtlePlace): string {
  const { position, facing, certain } = placeFacts(place);
  const why = place.note === undefined ? "" : `: ${quoted(place.note, 300)}`;
  if (position === null) {
    return `at an unknown position${why} (tell it with set-position)`;
  }
  const at = `at ${position.x} ${position.y} ${position.z}`;
  const looks = facing === null ? ", facing unknown" : `, facing ${facing}`;
  if (!certain) return `${at}${looks}, but NOT CERTAIN${why} (set it again with set-position)`;
  return `${at}${looks}${why}`;
}
