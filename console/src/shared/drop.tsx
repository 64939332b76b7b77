import { Button } from '@mantine/core'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import type { HandedFile } from './handed-file.ts'
import './drop.css'

/** A card that takes files of text: dropped on it, or chosen. */
export function Drop({
  hint,
  choose,
  accept,
  multiple = false,
  most,
  tooLarge,
  take,
  children,
}: {
  hint: ReactNode
  /** The words of the button. */
  choose: string
  accept: string
  multiple?: boolean
  /** Bytes of a file, of which no more are read. */
  most: number
  tooLarge: string
  take: (files: HandedFile[]) => void
  children?: ReactNode
}) {
  const { file: words } = useWords()
  const [unread, setUnread] = useState<string>()
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const read = async (list: FileList | null) => {
    const files = [...(list ?? [])].slice(0, multiple ? undefined : 1)
    const wrong = (one: File, why: string) => setUnread(multiple ? `${one.name}: ${why}` : why)
    setUnread(undefined)
    const found: HandedFile[] = []
    for (const one of files) {
      const text = one.size > most ? undefined : await textOf(one)
      if (text === undefined) return wrong(one, one.size > most ? tooLarge : words.noText)
      found.push({ name: one.name, text })
    }
    if (found.length > 0) take(found)
  }
  const drag = (isOver: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(isOver)
  }
  return (
    <section
      className={over ? 'card drop over' : 'card drop'}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event)
        void read(event.dataTransfer.files)
      }}
    >
      <div className="line">
        <p className="soft">{hint}</p>
        <Button variant="default" onClick={() => picker.current?.click()}>
          {choose}
        </Button>
        <input
          ref={picker}
          hidden
          type="file"
          accept={accept}
          multiple={multiple}
          onChange={({ currentTarget }) => {
            void read(currentTarget.files)
            // A file that was mended may be chosen again.
            currentTarget.value = ''
          }}
        />
      </div>
      {unread && (
        <p className="notice bad" role="alert">
          {unread}
        </p>
      )}
      {children}
    </section>
  )
}

/** Text as UTF-8, or as the UTF-16 that its mark tells of. Undefined: it is no such text. */
async function textOf(file: File): Promise<string | undefined> {
  const bytes = await file.arrayBuffer()
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const encoding = isWide ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
