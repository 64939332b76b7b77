import { Button } from '@mantine/core'
import { useWords } from '../messages/messages.tsx'
import { Icon } from '../shared/icons.tsx'
import { Drop } from '../shared/drop.tsx'
import { Choice, Field, fieldsOf } from '../shared/form.tsx'
import type { HandedFile } from '../shared/handed-file.ts'
import { Copy, Name } from '../shared/text.tsx'
import type { Draft, System, useDraft } from './draft.ts'
import { systems } from './systems.ts'

/** The most bytes that the service reads. */
const most = 20 * 1024 * 1024
const mappingName = 'mapping.yaml'

interface Editing {
  draft: Draft
  change: ReturnType<typeof useDraft>['change']
}

/** Which system it is, how one exports it, its files, and what is said of them. */
export function Export({ draft, change, error, forget }: Editing & { error: unknown; forget: () => void }) {
  const { moving } = useWords()
  const { source, files, prefix, rpId, mapping, read } = draft
  const fields = fieldsOf(error)
  const isOwnMapping = mapping !== '' && mapping === read?.moved.mapping
  return (
    <Drop
      hint={moving.drop}
      choose={moving.choose}
      accept=".json,.jsonl,.ndjson,.csv,.ldif,.yaml,.yml"
      multiple
      most={most}
      tooLarge={moving.tooLarge}
      take={(dropped) => change(taken(draft, dropped))}
    >
      <Choice
        label={moving.system}
        value={source}
        data={Object.entries(systems).map(([value, { name }]) => ({ value, label: name }))}
        // What the service proposed for another system is nobody's work.
        onChange={(chosen) => change({ source: chosen as System, ...(isOwnMapping && { mapping: '' }) })}
      />
      <How source={source} />
      {files.length > 0 && <Files {...{ draft, change, forget }} />}
      <details open={prefix !== '' || rpId !== ''}>
        <summary>{moving.further}</summary>
        <Field
          label={moving.prefix}
          description={moving.prefixHow}
          value={prefix}
          onChange={(prefix) => change({ prefix })}
          error={fields.prefix}
        />
        <Field
          label={moving.rpId}
          description={moving.rpIdHow}
          placeholder="acme.example"
          value={rpId}
          onChange={(rpId) => change({ rpId })}
          error={fields.rp_id}
        />
      </details>
    </Drop>
  )
}

/** The later one of two files with one name counts; a mapping is none of the export. */
function taken({ files }: Draft, dropped: readonly HandedFile[]): Partial<Draft> {
  const own = dropped.filter(({ name }) => name !== mappingName)
  const names = new Set(own.map(({ name }) => name))
  const all = [...files.filter(({ name }) => !names.has(name)), ...own]
  const mapping = dropped.find(({ name }) => name === mappingName)?.text
  return {
    // The command's order of a folder.
    files: all.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    ...(mapping !== undefined && { mapping }),
  }
}

function How({ source }: { source: System }) {
  const { moving } = useWords()
  const { command } = systems[source]
  return (
    <div className="how">
      <p>{moving.how[source]}</p>
      {command && (
        <p className="command">
          <code translate="no">{command}</code>
          <Copy label={moving.command} value={command} />
        </p>
      )}
      <p className="soft">{moving.docs(`docs/move-in/${source}.md`)}</p>
    </div>
  )
}

function Files({ draft: { files }, change, forget }: Editing & { forget: () => void }) {
  const { moving } = useWords()
  return (
    <>
      <ul className="files" aria-label={moving.files}>
        {files.map((file) => (
          <li key={file.name}>
            <Name>{file.name}</Name>{' '}
            <span className="soft">{moving.size(Math.ceil(file.text.length / 1024).toLocaleString())}</span>
            <button
              type="button"
              className="quiet"
              aria-label={moving.leaveOut(file.name)}
              onClick={() => change({ files: files.filter((one) => one !== file) })}
            >
              <Icon name="fails" />
            </button>
          </li>
        ))}
      </ul>
      <p className="soft kept">
        {moving.kept}{' '}
        <Button variant="default" size="xs" onClick={forget}>
          {moving.forget}
        </Button>
      </p>
    </>
  )
}
