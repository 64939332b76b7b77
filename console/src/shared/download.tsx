import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { fileOf, Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'
import { Refused } from './state.tsx'

type Format = 'csv' | 'jsonl'

/** Buttons that save all of what a list finds. The page fetches it, so that no address holds the token. */
export function Download({
  path,
  query,
  formats,
}: {
  path: string
  query: Record<string, string>
  formats: readonly Format[]
}) {
  const { download } = useWords()
  const asked = useMutation({
    mutationFn: async (format: Format) =>
      save(await fileOf(path, { ...query, format }), fileName(path, format)),
  })
  const { error } = asked
  return (
    <div className="downloads">
      {formats.map((format) => (
        <Button
          key={format}
          variant="default"
          aria-label={download.as(format.toUpperCase())}
          leftSection={<Icon name="download" />}
          loading={asked.isPending && asked.variables === format}
          disabled={asked.isPending}
          onClick={() => asked.mutate(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {error instanceof Refusal && <Refused error={error} />}
      {error !== null && !(error instanceof Refusal) && (
        <p className="notice bad" role="alert">
          {download.cut}
        </p>
      )}
    </div>
  )
}

const fileName = (path: string, format: Format) =>
  `${path.slice(path.lastIndexOf('/') + 1)}-${new Date().toISOString().slice(0, 10)}.${format}`

/** Saves it as a file of this name. */
export function save(file: Blob, name: string): void {
  const anchor = document.createElement('a')
  anchor.href = URL.createObjectURL(file)
  anchor.download = name
  anchor.click()
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000)
}
