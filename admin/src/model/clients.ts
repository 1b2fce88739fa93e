import { say } from "../language/say.ts";
/** The configurations of clients of agents, as docs/agents.md has them. */

export type Connection = {
  /** The address of the service. */
  url: string;
  token: string;
  accessToken: string;
};

export type ClientConfiguration = { client: string /** Where it belongs. */; where: string; text: string };

/** For each client what connects it. */
export function configurationsOf({ url, token, accessToken }: Connection): ClientConfiguration[] {
  const bearer = `${token}.${accessToken}`;
  const headers = `"headers": { "Authorization": "Bearer ${bearer}" }`;
  return [
    {
      client: "Claude Code",
      where: say("Run this in the folder of your project."),
      text: `claude mcp add --transport http octavo ${url}/mcp --header "Authorization: Bearer ${bearer}"`,
    },
    {
      client: "Cursor",
      where: say("The file .cursor/mcp.json."),
      text: `{
  "mcpServers": {
    "octavo": { "url": "${url}/mcp", ${headers} }
  }
}`,
    },
    {
      client: "VS Code",
      where: say("The file .vscode/mcp.json."),
      text: `{
  "servers": {
    "octavo": { "type": "http", "url": "${url}/mcp", ${headers} }
  }
}`,
    },
    {
      client: "Codex",
      where: say("The file ~/.codex/config.toml; the comment is for the shell that starts it."),
      text: `# export OCTAVO_AGENT=${bearer}
[mcp_servers.octavo]
url = "${url}/mcp"
bearer_token_env_var = "OCTAVO_AGENT"`,
    },
    {
      client: say("A client that starts programs"),
      where: say("Claude Desktop and others, over stdio: its file of servers."),
      text: `{
  "mcpServers": {
    "octavo": {
      "command": "npx",
      "args": ["octavo", "mcp", "--url", "${url}"],
      "env": { "OCTAVO_TOKEN": "${token}", "OCTAVO_ACCESS_TOKEN": "${accessToken}" }
    }
  }
}`,
    },
    {
      client: say("Another client over HTTP"),
      where: say("The address, and the header of each request."),
      text: `${url}/mcp
Authorization: Bearer ${bearer}`,
    },
  ];
}

/** What to tell an agent whose work goes into a release. */
export const instructionOf = ({ id, title }: { id: string; title: string }): string =>
  `Everything that you propose goes into the release "${title}": call stage and create_draft with "release": "${id}".`;
