import { setFlagsFromString } from 'node:v8'

/** The start is over: what is made for requests may have the room that `bin/tessera.cjs` kept from what it left behind. */
export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
