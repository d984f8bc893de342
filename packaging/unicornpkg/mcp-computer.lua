-- For a pull request to a unicornpkg repository. It installs the program and asks for the bridge at the first start.
return {
  unicornSpec = "v1.0.0",
  name = "mcp-computer",
  desc = "Links this computer to ccbridge, so that AI clients can work with it.",
  version = "0.1.0",
  licensing = "MIT",
  pkgType = "com.github",
  instdat = {
    repo_owner = "ccbridge",
    repo_name = "ccbridge",
    repo_ref = "v0.1.0",
    filemaps = { ["lua/public/install.lua"] = "/bin/mcp-computer-install.lua" },
  },
}
