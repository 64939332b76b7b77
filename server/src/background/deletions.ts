import { operator } from '../administration/authority.ts'
import { deleteUser } from '../administration/users/verbs.ts'
import type { JobContext } from '../job.ts'
import { Problem } from '../protocol/problem.ts'
import type { Service } from '../service.ts'
import { dueForRemoval } from '../store/deletion.ts'

/** Removes, as an administrator would, who asked for it long enough ago. Who was let stay meanwhile has another version. */
export async function removeLeavers(
  { store, now }: Pick<Service, 'store' | 'now'>,
  { stopping, report }: Pick<JobContext, 'stopping' | 'report'>,
): Promise<void> {
  const authority = operator({ kind: 'service' })
  const by = { actor: authority.actor, now: now(), client_id: undefined, sid: undefined, authority }
  for (const { uuid, version } of await dueForRemoval(store, by.now)) {
    if (stopping.aborted) return
    try {
      await deleteUser(store, by, { id: uuid, versions: [version] })
    } catch (error) {
      const isOver =
        error instanceof Problem && (error.code === 'not_found' || error.code === 'precondition_failed')
      if (!isOver) report(error)
    }
  }
}
