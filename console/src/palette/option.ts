import type { NavigateOptions } from '@tanstack/react-router'
import type { Messages } from '../messages/en.ts'
import type { Icon } from '../shared/icons.tsx'

export interface PaletteOption {
  icon: Parameters<typeof Icon>[0]['name']
  label: string
  go: NavigateOptions
}

/** A line of the palette: what it is called, and where it leads. */
export interface Option extends PaletteOption {
  key: string
  group: keyof Messages['palette']['groups']
  /** An address, a code or an identifier. */
  note?: string
}
