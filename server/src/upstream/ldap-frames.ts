/**
 * Messages of LDAP one at a time (RFC 4511 §5.1). The parser of ldapts calls itself for each further message of what it is
 * given: a server that sends thousands at once would overflow the stack, which ends the process.
 */
import type { Socket } from 'node:net'

/** The longest message; longer ones end the connection. */
const mostBytes = 4 * 1_048_576

/** Lets whoever listens to the socket have its data by whole messages, each by itself. */
export function byMessages(socket: Socket): Socket {
  let waiting = Buffer.alloc(0)
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean
  const split = (event: string | symbol, ...values: unknown[]): boolean => {
    const [chunk] = values
    if (event !== 'data' || !Buffer.isBuffer(chunk)) return emit(event, ...values)
    waiting = Buffer.concat([waiting, chunk])
    for (;;) {
      const length = lengthOf(waiting)
      if (length === 'wrong') return socket.destroy().destroyed
      if (length === undefined || waiting.length < length) return true
      const message = waiting.subarray(0, length)
      waiting = waiting.subarray(length)
      emit('data', message)
      if (socket.destroyed) return true
    }
  }
  return Object.assign(socket, { emit: split })
}

/** How long the message is that begins here, with its header; undefined: that is not known yet. */
function lengthOf(bytes: Buffer): number | 'wrong' | undefined {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) return undefined
  if (tag !== 0x30) return 'wrong'
  if (first < 0x80) return 2 + first
  const count = first - 0x80
  if (count < 1 || count > 4) return 'wrong'
  if (bytes.length < 2 + count) return undefined
  const length = 2 + count + bytes.readUIntBE(2, count)
  return length > mostBytes ? 'wrong' : length
}
