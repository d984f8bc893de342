return {
  ["watch-events"] = {
    inline = true,
    run = function(params, context)
      return context.events.watch(type(params) == "table" and params.watches or nil)
    end,
  },
}
