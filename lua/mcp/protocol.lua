--- What both sides of the link must agree on. Written from packages/protocol: change it there, then run
-- npx vitest run packages/lua-agent/test/protocol.test.ts --update

return {
  VERSION = 2,
  MAX_FRAME = 130048,
  MIN_FRAME = 1024,
  MAX_INCOMING = 4194304,
  MAX_OUTGOING = 16777216,
  MAX_CHECKED = 128,
  MAX_WATCHES = 32,
  FEATURES = { "acks", "cancel", "chunk", "jobs", "keys", "output", "pairing", "surrogates" },
  CLOSE = {
    going_away = 1001,
    binary = 1003,
    policy = 1008,
    too_big = 1009,
    bad_hello = 4400,
    unauthorized = 4401,
    hello_timeout = 4408,
    replaced = 4409,
    silent = 4410,
    not_reading = 4411,
    too_many_links = 4429,
  },
  HELLO_ERROR = {
    bad_hello = "bad-hello",
    unauthorized = "unauthorized",
    too_many_links = "too-many-links",
    shutting_down = "shutting-down",
    pairing = "pairing",
  },
}
