import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Refusal } from '../../api/client.ts'
import { useWords } from '../../messages/messages.tsx'
import { save } from '../../shared/download.tsx'
import { fieldsOf } from '../../shared/form.tsx'
import { type HandedFile, useHandedFile } from '../../shared/handed-file.ts'
import { Icon } from '../../shared/icons.tsx'
import { type Told, useWork } from '../../shared/long-work.ts'
import { useMay, useMayImport } from '../../shared/me.ts'
import { Progress } from '../../shared/progress.tsx'
import { Heading } from '../../shared/text.tsx'
import { PeopleCrumbs } from '../../shared/people-crumbs.tsx'
import { Imports } from './imports.tsx'
import type { ImportLine, RefusedRow } from './lines.ts'
import { refusedRows } from './rows.ts'
import { SourceFields } from './source.tsx'
import './import.css'

type Work = ReturnType<typeof useWork<ImportLine>>

/** People of a file: checked, imported, and the imports so far. */
export function Import() {
  const { importing: words } = useWords()
  const may = useMay()
  const mayImport = useMayImport()
  return (
    <>
      <PeopleCrumbs />
      <div className="top">
        <Heading>{words.title}</Heading>
      </div>
      {mayImport ? <Importing /> : <p className="lead">{words.lacking}</p>}
      {may('iam.users.read') && <Imports />}
    </>
  )
}

function Importing() {
  const { importing: words } = useWords()
  const handed = useHandedFile('import')
  const [source, setSource] = useState<HandedFile>(handed ?? { name: '', text: '' })
  /** What was sent last: the rows are cut out of this text. */
  const [sent, setSent] = useState(source)
  const check = useWork<ImportLine>()
  const run = useWork<ImportLine>()
  const [phase, setPhase] = useState<'check' | 'import'>('check')
  const isRunning = check.state === 'running' || run.state === 'running'
  const isStale = sent.text !== source.text || sent.name !== source.name
  const isChecked = check.told?.kind === 'done' && !isStale && phase === 'check'
  const begin = () => {
    setSent(source)
    setPhase('check')
    check.begin({ path: '/imports', query: { dry_run: 'true' }, body: source })
  }
  return (
    <>
      <p className="lead">{words.lead}</p>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          begin()
        }}
      >
        <SourceFields value={source} onChange={setSource} errors={fieldErrors(check)} />
        <div className="buttons">
          <p className="soft" role="status">
            {phase === 'check' && words.nothingYet}
          </p>
          <Button
            type="submit"
            variant={isChecked ? 'default' : 'filled'}
            loading={check.state === 'running'}
            disabled={isRunning || source.text === '' || source.name === ''}
          >
            {words.check}
          </Button>
        </div>
      </form>
      {phase === 'check' ? (
        <Shown tries work={check} sent={sent} words={words.checked} goOn={begin} />
      ) : (
        <Shown
          work={run}
          sent={sent}
          words={words.imported}
          total={check.told?.rows}
          goOn={() => run.goOn({ path: '/imports', body: sent })}
        />
      )}
      {isStale && check.state === 'done' && <p className="notice warn">{words.stale}</p>}
      {isChecked && check.told !== undefined && check.told.imported > 0 && (
        <div className="buttons">
          {isSignInAgain(check.told) && <p className="soft">{words.signInAgain}</p>}
          <Button
            onClick={() => {
              setPhase('import')
              run.begin({ path: '/imports', body: sent })
            }}
          >
            {words.importThem(check.told.imported)}
          </Button>
        </div>
      )}
      {phase === 'import' && run.state === 'done' && (
        <p>
          <Link to="/people">{words.toPeople}</Link>
        </p>
      )}
    </>
  )
}

const isSignInAgain = (told: Told<ImportLine>) => told.kind === 'done' && told.sign_in_again

/** What is refused of the file itself stands at its fields. */
const fieldErrors = ({ state, error }: Work) =>
  state === 'refused' && error instanceof Refusal ? fieldsOf(error) : {}

function Shown({
  work,
  sent,
  words: { label, counts },
  total,
  tries = false,
  goOn,
}: {
  work: Work
  sent: HandedFile
  words: { label: string; counts: (told: Told<ImportLine>) => string }
  total?: number | undefined
  tries?: boolean
  goOn: () => void
}) {
  const { importing: words } = useWords()
  return (
    <section className="import-work" aria-label={label}>
      {work.state !== 'none' && <h2>{label}</h2>}
      <Progress<ImportLine>
        tries={tries}
        work={work}
        label={label}
        far={({ rows }) => ({ done: rows, of: total })}
        counts={(told) => <Counts told={told} counts={counts} />}
        refused={{
          name: ({ line, field }) => words.row(line, field),
          columns: ['line', 'last_line', 'field', 'detail'],
          file: 'refused.csv',
        }}
        goOn={goOn}
      />
      {work.refused.length > 0 && work.state !== 'running' && <Cut refused={work.refused} sent={sent} />}
    </section>
  )
}

function Counts({ told, counts }: { told: Told<ImportLine>; counts: (told: Told<ImportLine>) => string }) {
  const { importing: words } = useWords()
  const columns = told.kind === 'done' ? told.columns : []
  return (
    <>
      {counts(told)} {told.replaced > 0 && words.replaced(told.replaced)}
      {columns.length > 0 && (
        <span className="soft columns">
          {words.found} <code translate="no">{columns.join(', ')}</code>
        </span>
      )}
    </>
  )
}

/** The rows themselves, out of the file that stands here: the service keeps none of it. */
function Cut({ refused, sent }: { refused: readonly RefusedRow[]; sent: HandedFile }) {
  const { importing: words } = useWords()
  return (
    <div className="line">
      <p className="soft">{words.cutHow}</p>
      <Button
        variant="default"
        leftSection={<Icon name="download" />}
        onClick={() => save(new Blob([refusedRows(sent.text, refused)]), `refused-${sent.name}`)}
      >
        {words.cut}
      </Button>
    </div>
  )
}
