import { type Hello, HelloErrorCode, LinkCloseCode } from "@ccbridge/protocol";
import { admit } from "./admit.js";
import { awaitApproval } from "./approval.js";
import type { Computers } from "./computers.js";
import type { ComputerLink } from "./link.js";
import { identifyComputer } from "./provider.js";

const WRONG_TOKEN = "The token is missing or wrong. Use one of the link tokens of this bridge.";

/** Decides on a hello: the connection becomes the computer's link, stays it, waits for approval, or is refused. */
export function greet(computers: Computers, link: ComputerLink, hello: Hello): void {
  const { options } = computers;
  const { origin } = link;
  const { pairing } = options;
  const provider = identifyComputer(hello);
  const isPaired = pairing?.accepts(provider, hello.secret) === true;
  const verdict = (isPaired || options.authorize?.(hello.token ?? origin.token, origin)) ?? true;
  if (verdict === false) {
    link.refuse(LinkCloseCode.unauthorized, HelloErrorCode.unauthorized, WRONG_TOKEN);
    return;
  }
  if (verdict !== true) {
    // The token may be right, so the agent must not give up.
    link.refuse(LinkCloseCode.tooManyLinks, HelloErrorCode.tooManyLinks, verdict.laterBecause);
    return;
  }
  // A link that says hello again may bring a new label, or did not hear the answer, but stays who it is.
  if (link.identified && link.provider.key !== provider.key) {
    link.refuse(
      LinkCloseCode.badHello,
      HelloErrorCode.badHello,
      "A link cannot change its identity.",
    );
    return;
  }
  const isApproved =
    pairing === undefined || isPaired || link.identified || pairing.admits(provider, origin);
  if (!isApproved) return awaitApproval({ computers, link, hello }, pairing, provider);
  admit(computers, link, { hello, provider });
}
