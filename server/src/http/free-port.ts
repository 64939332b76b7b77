import { createServer } from 'node:net'

/** The port, when it is free; 0 chooses one that is. Throws as listening does (EADDRINUSE). */
export async function freePort(host: string, port = 0): Promise<number> {
  return await new Promise((resolve, reject) => {
    // A visitor of this moment is not kept waiting.
    const probe = createServer((visitor) => visitor.destroy())
    probe.on('error', reject)
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
