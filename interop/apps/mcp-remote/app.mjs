import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { serve } from './serve.mjs'
import './server.mjs'

/** An MCP client that starts what its settings name, and gives the browser the address that it tells. */
const { command, args } = JSON.parse(readFileSync('client.json', 'utf8')).mcpServers.tools
const client = new Client({ name: 'interop', version: '1' })

async function call() {
  const { content } = await client.callTool({ name: 'who' })
  return { sub: content[0].text }
}

serve({
  '/login': async () => {
    const transport = new StdioClientTransport({ command, args, env: process.env, stderr: 'pipe' })
    const to = new Promise((resolve) => {
      transport.stderr.on('data', (said) => {
        process.stderr.write(said)
        const [address] = /http\S+\/oauth2\/authorize\S+/.exec(String(said)) ?? []
        if (address !== undefined) resolve(address)
      })
    })
    client.connect(transport).catch((error) => console.error(error))
    return { to: await to }
  },
  '/who': call,
  '/call': call,
})
