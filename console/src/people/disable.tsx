import { Button, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, answered, Refusal, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Refused } from '../shared/state.tsx'

/** Disables somebody, or enables them again, after saying what that does. */
export function Disable({ user, tag }: { user: User; tag: string }) {
  const { person, cancel, close } = useWords()
  const queries = useQueryClient()
  const [open, setOpen] = useState(false)
  const { uuid, name, active, managed_by: file } = user
  const change = useMutation({
    mutationFn: () =>
      answered(
        api.PATCH('/admin/v1/users/{uuid}', {
          params: {
            path: { uuid },
            header: { 'If-Match': tag, ...(file && { 'Tessera-Managed': 'override' as const }) },
          },
          body: { active: !active },
        }),
      ),
    onSuccess: () => setOpen(false),
    onSettled: () => queries.invalidateQueries(),
  })
  const changed = change.error instanceof Refusal && change.error.status === 412
  const begin = () => {
    change.reset()
    setOpen(true)
  }
  return (
    <>
      <Button variant="default" onClick={begin}>
        {active ? person.disable : person.enable}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        lockScroll={false}
        centered
        title={active ? person.disableTitle(name) : person.enableTitle(name)}
        closeButtonProps={{ 'aria-label': close }}
      >
        <p>{active ? person.disableWhat : person.enableWhat}</p>
        {file && <p className="notice warn">{person.override(file)}</p>}
        {changed ? (
          <p className="notice warn" role="alert">
            {person.conflict}
          </p>
        ) : (
          change.error && <Refused error={change.error} />
        )}
        <div className="buttons">
          <Button variant="default" onClick={() => setOpen(false)}>
            {cancel}
          </Button>
          <Button
            className={active ? 'danger' : 'main'}
            loading={change.isPending}
            onClick={() => change.mutate()}
          >
            {active ? person.disable : person.enable}
          </Button>
        </div>
      </Modal>
    </>
  )
}
