import type { Sample } from "@ccbridge/protocol/dashboard";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Bridges } from "../parts/bridges.js";
import { HistoryTrouble } from "../parts/history-trouble.js";
import { clockText } from "../parts/time.js";
import { useTopic } from "../wire/hooks.js";

const HEIGHT = 150;

interface ChartFacts {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly { readonly name: string; value(sample: Sample): number | null }[];
}

const charts: readonly ChartFacts[] = [
  {
    title: "Calls",
    unit: "a second",
    lines: [{ name: "calls", value: ({ callsPerSecond }) => callsPerSecond }],
  },
  {
    title: "Call duration",
    unit: "ms",
    lines: [
      { name: "p50", value: ({ p50 }) => p50 },
      { name: "p99", value: ({ p99 }) => p99 },
    ],
  },
  {
    title: "Links and sessions",
    unit: "",
    lines: [
      { name: "links", value: ({ links }) => links },
      { name: "sessions", value: ({ sessions }) => sessions },
    ],
  },
  {
    title: "Memory",
    unit: "MB",
    lines: [{ name: "memory", value: ({ memory }) => Math.round(memory / 1_048_576) }],
  },
];

export function Numbers() {
  const { data, error } = useTopic("numbers", {});
  const latest = data?.samples.at(-1);
  return (
    <section class="stack">
      <h1>Numbers</h1>
      <HistoryTrouble />
      {error !== undefined && <p class="problem">{error}</p>}
      {data === undefined || latest === undefined ? (
        <p class="muted">The first numbers will appear in a moment …</p>
      ) : (
        <div class="charts">
          {charts.map((chart) => (
            <figure key={chart.title} class="card chart">
              <figcaption>
                <span class="muted small">{chart.title}</span>
                <p class="values">
                  {chart.lines.map(({ name, value }, index) => (
                    <span key={name} class={`value line-${index}`}>
                      {chart.lines.length > 1 && <span class="muted small">{name}</span>}
                      <span class="big">{value(latest)?.toLocaleString() ?? "–"}</span>
                    </span>
                  ))}
                  <span class="muted small">{chart.unit}</span>
                </p>
              </figcaption>
              <Chart chart={chart} samples={data.samples} />
            </figure>
          ))}
        </div>
      )}
      <Bridges />
      <p class="small muted">
        For Prometheus: <code>/metrics</code> on this address, with the same token.
      </p>
    </section>
  );
}

function Chart({ chart, samples }: { chart: ChartFacts; samples: readonly Sample[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data: uPlot.AlignedData = [
    samples.map(({ at }) => at / 1_000),
    ...chart.lines.map(({ value }) => samples.map(value)),
  ];
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    plot.current = new uPlot(optionsFor(chart, current), data, current);
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: current.clientWidth, height: HEIGHT }),
    );
    sizes.observe(current);
    // Canvas colours do not follow the theme.
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => plot.current?.redraw();
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      sizes.disconnect();
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [samples]);
  return <div class="plot" ref={place} aria-hidden="true" />;
}

function optionsFor({ lines }: ChartFacts, place: HTMLElement): uPlot.Options {
  const stroke = (name: string) => () => {
    // light-dark() is not resolved until it is used.
    const colour = getComputedStyle(place).getPropertyValue(name);
    const probe = document.createElement("i");
    probe.style.color = colour;
    place.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };
  const axis = {
    stroke: stroke("--muted"),
    grid: { stroke: stroke("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: place.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      {
        ...axis,
        size: 28,
        space: 70,
        values: (_, times) => times.map((at) => clockText(at * 1_000)),
      },
      { ...axis, size: 48 },
    ],
    scales: {
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 1) * 1.1)] },
    },
    series: [
      {},
      ...lines.map((_, index) => ({
        stroke: stroke(index === 0 ? "--accent" : "--warn"),
        width: 1.5,
        points: { show: false },
        spanGaps: true,
      })),
    ],
  };
}
