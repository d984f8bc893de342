/** Lines that the game itself writes into computercraft-server.toml, with the rules given. */
export function gameConfig(rules: readonly string[] = [privateRule, anyRule]): string {
  return `#The disk space limit for computers and turtles, in bytes.
#Range: > 0
computer_space_limit = 1000000
#A comma separated list of default system settings to set on new computers.
default_computer_settings = ""
disabled_generic_methods = []

#Controls the HTTP API
[http]
\t#Enable the "http" API on Computers.
\tenabled = true
\twebsocket_enabled = true
\tmax_requests = 16

\t#Limits bandwidth used by computers.
\t[http.bandwidth]
\t\tglobal_download = 33554432

\t#A list of rules which control behaviour of the "http" API.
\t#Rules such as [[http.rules]] are evaluated in order.
${rules.join("\n")}
#Various options relating to peripherals.
[peripheral]
\tcommand_block_enabled = false
\tmodem_range = 64
`;
}

export const privateRule = `\t[[http.rules]]
\t\t#The magic "$private" host matches all private address ranges.
\t\thost = "$private"
\t\t#Deny all requests to private IP addresses.
\t\taction = "deny"
`;

export const anyRule = `\t[[http.rules]]
\t\t#The wildcard "*" rule matches all remaining hosts.
\t\thost = "*"
\t\taction = "allow"
\t\tmax_download = 16777216
\t\tuse_proxy = false
`;
