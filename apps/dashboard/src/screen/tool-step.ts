import type { InputStep } from "@ccbridge/protocol";

export function toolStep(step: InputStep): Record<string, unknown> {
  switch (step.type) {
    case "text":
      return { text: step.text };
    case "key":
      return { key: step.key };
    case "click":
      return { click: { x: step.x, y: step.y } };
    case "event":
      return { event: step.name, args: step.args ?? [] };
  }
}
