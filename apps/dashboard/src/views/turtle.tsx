import type { TopicData } from "@ccbridge/protocol/dashboard";
import { useTopic } from "../wire/hooks.js";
import { itemName } from "./peripherals.js";

type Turtle = TopicData<"turtle">;

export function TurtleTab({ id, name }: { id: string; name: string }) {
  const { data, error } = useTopic("turtle", { key: id });
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (data === undefined) return <p class="muted">Asking the turtle …</p>;
  const { fuel, fuelLimit, position, facing, certain, note, selected, slots, running } = data;
  return (
    <div class="turtle-view">
      <div class="card stack">
        <h2>Place</h2>
        {position === null ? (
          <p>Its position is unknown. GPS or the set-position tool can set it.</p>
        ) : (
          <p class="big">
            {certain ? "" : "about "}
            {position.x}, {position.y}, {position.z}
            {facing !== null && <span class="muted"> facing {facing}</span>}
          </p>
        )}
        {note !== null && <p class="small muted">{note}</p>}
        <Trail turtle={data} name={name} />
      </div>
      <div class="card stack">
        <h2>Fuel</h2>
        <p class="big">
          {typeof fuel === "number" ? fuel.toLocaleString() : (fuel ?? "not known")}
          {typeof fuelLimit === "number" && (
            <span class="muted"> of {fuelLimit.toLocaleString()}</span>
          )}
        </p>
        {typeof fuel === "number" && typeof fuelLimit === "number" && (
          <meter
            class="wide"
            min={0}
            max={fuelLimit}
            low={Math.min(500, fuelLimit)}
            optimum={fuelLimit}
            value={fuel}
            aria-label={`Fuel of ${name}`}
          />
        )}
        {running && <span class="badge">turtle-run is in progress</span>}
        <h2>Slots</h2>
        <ol class="slots">
          {Array.from({ length: 16 }, (_, index) => {
            const slot = slots.find((candidate) => candidate.slot === index + 1);
            return (
              <li
                key={index}
                class={selected === index + 1 ? "selected" : ""}
                aria-current={selected === index + 1 ? "true" : undefined}
              >
                {slot === undefined ? (
                  <span class="muted">empty</span>
                ) : (
                  <>
                    <span>{itemName(slot.name)}</span> <b>{slot.count}</b>
                  </>
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

const SIZE = 240;
const PADDING = 18;
const turns = { north: 0, east: 90, south: 180, west: 270 } as const;

function Trail({ turtle, name }: { turtle: Turtle; name: string }) {
  const { position, facing } = turtle;
  const trail = turtle.trail.length > 0 ? turtle.trail : position === null ? [] : [position];
  if (position === null || trail.length === 0) return null;
  const xs = trail.map(({ x }) => x);
  const zs = trail.map(({ z }) => z);
  const [west, east] = [Math.min(...xs), Math.max(...xs)];
  const [north, south] = [Math.min(...zs), Math.max(...zs)];
  const span = Math.max(east - west, south - north, 8);
  const unit = (SIZE - 2 * PADDING) / span;
  const left = (x: number) => SIZE / 2 + (x - (west + east) / 2) * unit;
  const top = (z: number) => SIZE / 2 + (z - (north + south) / 2) * unit;
  const points = trail.map(({ x, z }) => `${left(x)},${top(z)}`).join(" ");
  return (
    <figure class="trail">
      <svg
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        role="img"
        aria-label={`Where ${name} has been: ${trail.length} places`}
      >
        <polyline points={points} />
        {trail.map(({ x, y, z }, index) => (
          <circle key={index} cx={left(x)} cy={top(z)} r={2}>
            <title>{`${x}, ${y}, ${z}`}</title>
          </circle>
        ))}
        <path
          class="here"
          d="M0,-9 L6,7 L0,4 L-6,7 Z"
          transform={`translate(${left(position.x)} ${top(position.z)}) rotate(${facing === null ? 0 : turns[facing]})`}
        />
        <text x={SIZE / 2} y={12}>
          N
        </text>
      </svg>
      <figcaption class="small muted">
        {trail.length === 1 ? "1 place" : `The last ${trail.length} places`}, from above
      </figcaption>
    </figure>
  );
}
