import { onTestFinished } from "vitest";
import { type Message, TestPage } from "./socket-page.js";

const headers = { Origin: "http://localhost:5173" };

export class StreamPage extends TestPage {
  readonly #base: string;
  readonly #session: string;
  readonly #streams: AbortController[] = [];
  readonly posted: Promise<Response>[] = [];

  constructor(base: string, session = "") {
    super();
    this.#base = base.replace(/^ws/, "http").replace(/\/$/, "");
    this.#session = session;
    onTestFinished(() => this.disconnect());
  }

  async listen(): Promise<void> {
    const stream = new AbortController();
    this.#streams.push(stream);
    const query = this.#session === "" ? "" : `sessionId=${this.#session}&`;
    const response = await fetch(`${this.#base}/events?${query}clientType=browser&version=1.0.0`, {
      headers: { ...headers, Accept: "text/event-stream" },
      signal: stream.signal,
    });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    void this.#read(reader, first.value ?? "");
  }

  breakStream(number: number): void {
    this.#streams[number]?.abort();
  }

  disconnect(): void {
    for (const stream of this.#streams) stream.abort();
  }

  protected post(message: Message): void {
    const sent = fetch(`${this.#base}//message`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", "X-Session-ID": this.#session },
      body: JSON.stringify(message),
    });
    this.posted.push(sent);
  }

  async #read(reader: ReadableStreamDefaultReader<string>, start: string): Promise<void> {
    let text = start;
    try {
      for (;;) {
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          if (event.startsWith("data: ")) this.receive(JSON.parse(event.slice(6)));
        }
        const { value, done } = await reader.read();
        if (done) return;
        text += value;
      }
    } catch {
      // The test broke the stream.
    }
  }
}
