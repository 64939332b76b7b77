import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMayDeclare } from '../shared/me.ts'
import { PeopleCrumbs } from '../shared/people-crumbs.tsx'
import { linesOf, NumberedText, RefusedLines } from '../shared/numbered.tsx'
import { Refused } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'
import { type Draft, isStale, sentOf, useDraft } from './draft.ts'
import { Export } from './export.tsx'
import { NextSteps } from './next.tsx'
import { Report } from './report.tsx'
import './move-in.css'

/** The view of those who may ask at all; the API decides who administers everything. */
export function MoveIn() {
  const { moving } = useWords()
  const may = useMayDeclare()
  return (
    <>
      <PeopleCrumbs />
      <div className="top">
        <Heading>{moving.title}</Heading>
      </div>
      <p className="lead">{may ? moving.lead : moving.ofInstallation}</p>
      {may && <Reading />}
    </>
  )
}

const mappingId = 'mapping-text'

/** An export: read, reported, mapped and read again, then handed on. */
function Reading() {
  const { moving } = useWords()
  const { draft, change, forget, came } = useDraft()
  const read = useMutation({
    mutationFn: (of: Draft) => answered(api.POST('/admin/v1/move-in', { body: sentOf(of) })),
    onSuccess: (moved, of) => came(of, moved),
  })
  const { mapping, files, prefix, source } = draft
  const moved = draft.read?.moved
  const stale = isStale(draft)
  const lines = linesOf(read.error, 'mapping')
  const button = (label: string) => (
    <Button type="submit" loading={read.isPending} disabled={files.length === 0}>
      {label}
    </Button>
  )
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        read.mutate(draft)
      }}
    >
      <Export
        {...{ draft, change }}
        error={read.error}
        forget={() => {
          forget()
          read.reset()
        }}
      />
      {read.error && lines.length === 0 ? <Refused error={read.error} /> : null}
      <div className="buttons">
        <p className="soft" role="status">
          {read.isPending ? moving.reading : moving.nothingYet}
        </p>
        {button(moving.read)}
      </div>
      {moved && (
        <section className="moved" aria-labelledby="comes">
          <h2 id="comes">{moving.comes}</h2>
          <p role="status">
            {moving.counts(moved.counts.people, moved.counts.clients)} {moving.decisions(moved.counts.decide)}
          </p>
          {stale && <p className="notice warn">{moving.stale}</p>}
          <Report of={moved.report} />
        </section>
      )}
      {mapping !== '' && (
        <section className="card mapping" aria-labelledby="mapping">
          <h2 id="mapping">{moving.mapping}</h2>
          <p className="soft">{moving.mappingHow}</p>
          <NumberedText
            id={mappingId}
            label={moving.mappingText}
            value={mapping}
            onChange={(text) => change({ mapping: text })}
            refused={lines}
          />
          {lines.length > 0 && (
            <RefusedLines
              id={mappingId}
              lines={lines}
              text={read.variables?.mapping ?? ''}
              how={moving.refusedHow}
            />
          )}
          <div className="buttons">{button(moving.again)}</div>
        </section>
      )}
      {moved && (
        <NextSteps moved={moved} file={`${prefix || source}.yaml`} disabled={stale || read.isPending} />
      )}
    </form>
  )
}
