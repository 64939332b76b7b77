import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JobContext } from '../job.ts'
import { mostPictureBytes, pictureOf, pictureTypes } from '../protocol/picture.ts'
import type { Service } from '../service.ts'
import {
  allLogos,
  claimPicture,
  day,
  type DuePicture,
  forgetPicture,
  isShown,
  notePicture,
  wantPictures,
} from '../store/pictures.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import { read } from '../webhooks/send.ts'

const minute = 60_000
/** The most time for one whole picture, ms, however slowly it drips. */
const timeout = 5000
/** How long a picture belongs to the process that claimed it. */
const lease = 6 * timeout

/** The job that fetches pictures and logos, each once, and forgets those that nothing shows any more. */
export function pictureFetcher(): (service: Service, context: JobContext) => Promise<void> {
  let seen: readonly string[] | undefined
  return async (service, { stopping, report }) => {
    const { store, now } = service
    const logos = await allLogos(store)
    if (logos !== seen) await wantPictures(store, logos, now())
    seen = logos
    while (!stopping.aborted) {
      const due = await claimPicture(store, { now: now(), until: now() + lease })
      if (due === undefined) return
      await lookAt(service, due, { stopping, report })
      await nextTurn()
    }
  }
}

async function lookAt(
  service: Service,
  due: DuePicture,
  { stopping, report }: Pick<JobContext, 'stopping' | 'report'>,
): Promise<void> {
  const { store, now } = service
  if (!(await isShown(store, due))) return void (await forgetPicture(store, due.id))
  if (due.bytes !== null || due.address === null)
    return await notePicture(store, due.id, { next_at: now() + day })
  const found = await fetched(service, due.address, stopping)
  if (stopping.aborted) return
  if ('problem' in found) {
    report(new Error(`The picture at ${due.address} could not be fetched. ${found.problem}`))
    const attempts = due.attempts + 1
    const next_at = now() + Math.min(minute * 5 ** attempts, day)
    return await notePicture(store, due.id, { problem: found.problem, attempts, next_at })
  }
  await notePicture(store, due.id, { ...found, problem: null, next_at: now() + day })
}

/** A picture by the rules of webhooks: no private address, no redirect, and no more bytes than it may have. */
async function fetched(
  { settings }: Service,
  url: string,
  stopping: AbortSignal,
): Promise<{ type: string; bytes: string } | { problem: string }> {
  try {
    const { status, bytes } = await withDeadline(timeout, stopping, (signal) =>
      read(
        {
          url,
          headers: { accept: pictureTypes.join(', '), 'user-agent': 'Tessera' },
          toPrivateAddresses: settings.webhooksToPrivateAddresses,
          refusal: 'Its address is private or unknown.',
          signal,
        },
        mostPictureBytes,
      ),
    )
    if (status !== 200) return { problem: `The answer was ${status}.` }
    const found = pictureOf(bytes)
    if ('problem' in found) return { problem: `It ${found.problem}.` }
    return { type: found.type, bytes: bytes.toString('base64') }
  } catch (error) {
    return { problem: error instanceof Error ? error.message.slice(0, 500) : 'It could not be fetched.' }
  }
}
