import type { components } from '../../api/types.d.ts'

export type ImportLine = components['schemas']['ImportLine']
export type UndoLine = components['schemas']['ImportUndoLine']
export type RefusedRow = Extract<ImportLine, { kind: 'refused' }>
export type Import = components['schemas']['Import']
