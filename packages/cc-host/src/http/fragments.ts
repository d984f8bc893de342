import type { WebSocket } from "ws";

interface Receiver {
  _fin: boolean;
  _opcode: number;
  _state: number;
  _fragmented: number;
  _fragments: Buffer[];
  _messageLength: number;
  _totalPayloadLength: number;
  _numFragments: number;
  dataMessage(callback: (error?: Error) => void): void;
}

const STATE_GET_INFO = 0;

/**
 * The game does not reassemble fragmented messages: the first fragment arrives as the whole message
 * and the rest is lost. ws would join them, so its receiver is patched.
 */
export function dropContinuations(client: WebSocket): void {
  const receiver = (client as unknown as { _receiver: Receiver })._receiver;
  const deliver = receiver.dataMessage.bind(receiver);
  let insideMessage = false;
  receiver.dataMessage = (callback) => {
    const isFirst = !insideMessage;
    insideMessage = !receiver._fin;
    const opcode = receiver._opcode;
    if (isFirst) {
      receiver._fin = true;
      deliver(callback);
    } else {
      receiver._fragments = [];
      receiver._messageLength = 0;
      receiver._totalPayloadLength = 0;
      receiver._numFragments = 0;
      receiver._state = STATE_GET_INFO;
    }
    receiver._fragmented = insideMessage ? opcode : 0;
  };
}
