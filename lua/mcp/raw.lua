--- The game's own functions: those that a task sees can be pre-empted. Loaded before the first task; other
-- modules may be loaded by one.

return {
  create = coroutine.create,
  resume = coroutine.resume,
  yield = coroutine.yield,
  pcall = pcall,
  xpcall = xpcall,
  queue = os.queueEvent,
}
