import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Icon } from '../shared/icons.tsx'

const isMac = navigator.userAgent.includes('Mac')

/** The search: in the sidebar with its keys, on a phone as an icon. */
export function FindButton({ onClick }: { onClick: () => void }) {
  const { palette } = useWords()
  return (
    <button
      type="button"
      className="find"
      aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
      onClick={onClick}
    >
      <Icon name="search" />
      <span>{palette.label}</span> <kbd>{isMac ? '⌘K' : palette.control}</kbd>
    </button>
  )
}

export interface Finding<P> {
  opened: boolean
  onChange: (opened: boolean) => void
  places: P
  /** The palette is loaded when it is first asked for. */
  load: () => Promise<{ Palette: ComponentType<{ opened: boolean; places: P; close: () => void }> }>
}

export function Find<P>({ opened, onChange, places, load }: Finding<P>) {
  const { data } = useQuery({ queryKey: ['palette'], queryFn: load, enabled: opened, staleTime: Infinity })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const pressed = (isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey
      if (!pressed || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      // Another dialog keeps what was typed there.
      if (opened || document.querySelector('[role="dialog"]') === null) onChange(!opened)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [opened, onChange])
  const close = () => onChange(false)
  return data ? <data.Palette opened={opened} places={places} close={close} /> : null
}
