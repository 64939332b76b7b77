import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { EndedOver } from '../shared/ended.tsx'
import { useOpenedLater } from '../shared/opened-later.ts'
import { Refused } from '../shared/state.tsx'
import { useActions } from './actions.ts'
import { useFound } from './found.ts'
import type { Option, PaletteOption } from './option.ts'
import { Options } from './options.tsx'
import './palette.css'

/** The dialog in which something is done, gone to or found by a few letters. */
export function Palette({ opened, places, close }: Choosing & { opened: boolean }) {
  const { palette } = useWords()
  return (
    <Modal.Root
      opened={useOpenedLater(opened)}
      onClose={close}
      size={640}
      yOffset="min(9vh, 6vw)"
      lockScroll={false}
      // Gone at once, so that the keys open it anew at any time.
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={palette.label}>
        <Choices places={places} close={close} />
      </Modal.Content>
    </Modal.Root>
  )
}

interface Choosing {
  places: readonly PaletteOption[]
  close: () => void
}

function Choices({ places, close }: Choosing) {
  const { palette, ...words } = useWords()
  const [text, setText] = useState('')
  const typed = text.trim()
  const actions = useActions(places, typed)
  const found = useFound(typed)
  const options = [...actions, ...found.options]
  const choice = useChoice(options, found.settled || actions.length > 0, close)
  const nothing = options.length === 0 && found.settled && typed !== ''
  return (
    <>
      <div className="palette-top">
        <input
          data-autofocus
          role="combobox"
          aria-label={palette.label}
          aria-expanded={options.length > 0}
          aria-controls={choice.id}
          aria-activedescendant={choice.at < 0 ? undefined : `${choice.id}-${choice.at}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder={palette.hint}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            choice.forget()
          }}
          onKeyDown={choice.onKey}
        />
        <button type="button" onClick={close}>
          <span className="away">{words.close}</span> <kbd>Esc</kbd>
        </button>
      </div>
      <EndedOver />
      <Options of={options} at={choice.at} id={choice.id} pick={choice.pick} run={choice.run} />
      {found.error && <Refused error={found.error} />}
      <p className="away" role="status">
        {typed !== '' && found.settled && palette.count(options.length)}
      </p>
      {nothing && (
        <div className="palette-nothing">
          <strong>{palette.nothing(typed)}</strong>
          <p>{palette.nothingHow(found.kinds.map((kind) => palette.groups[kind]))}</p>
        </div>
      )}
    </>
  )
}

/** The line that Enter runs: the first, until the arrows or the pointer chose another. */
function useChoice(options: readonly Option[], settled: boolean, close: () => void) {
  const id = useId()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>()
  // Enter may come before what is found, as after pasting.
  const [entered, setEntered] = useState(false)
  const at = Math.max(
    options.findIndex(({ key }) => key === chosen),
    Math.min(0, options.length - 1),
  )
  const run = (option: Option | undefined) => {
    if (option === undefined) return
    close()
    void navigate(option.go)
  }
  useEffect(() => {
    if (!entered || !settled) return
    setEntered(false)
    run(options[at])
  })
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen(options[(at + step + options.length) % options.length]?.key)
    else if (event.key !== 'Enter') return
    else if (chosen === undefined) setEntered(true)
    else run(options[at])
    event.preventDefault()
  }
  const forget = () => {
    setChosen(undefined)
    setEntered(false)
  }
  return { id, at, run, onKey, forget, pick: (option: Option) => setChosen(option.key) }
}
