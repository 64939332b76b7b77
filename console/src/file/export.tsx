import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { fileOf } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { save } from '../shared/download.tsx'
import { Icon } from '../shared/icons.tsx'
import { Refused } from '../shared/state.tsx'

/** All that is stored as a file to keep, without a hash. */
export function Export() {
  const { file: words } = useWords()
  const asked = useMutation({
    mutationFn: async () => save(await fileOf('/declared/export', {}), 'tessera.yaml'),
  })
  return (
    <section className="card line export" aria-labelledby="export">
      <div>
        <h2 id="export">{words.export}</h2>
        <p className="soft">{words.exportHow}</p>
        {asked.error && <Refused error={asked.error} />}
      </div>
      <Button
        variant="default"
        leftSection={<Icon name="download" />}
        loading={asked.isPending}
        onClick={() => asked.mutate()}
      >
        {words.download}
      </Button>
    </section>
  )
}
