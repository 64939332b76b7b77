import type { Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'

/** States that take very long to make from outside. */
export const states = {
  async breakGlass(tessera: Tessera, organisation_uuid: string, user_uuid: string): Promise<void> {
    await withStore(tessera, async ({ db }) => {
      await db
        .updateTable('organisations')
        .set({ break_glass: JSON.stringify([user_uuid]) })
        .where('uuid', '=', organisation_uuid)
        .execute()
    })
  },
}
