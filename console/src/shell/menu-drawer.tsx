import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../messages/messages.tsx'
import { useOpenedLater } from '../shared/opened-later.ts'

/** The menu where the page has no room for it. */
export function MenuDrawer({
  opened,
  close,
  title,
  children,
}: {
  opened: boolean
  close: () => void
  title: ReactNode
  children: ReactNode
}) {
  const words = useWords()
  return (
    <Drawer
      opened={useOpenedLater(opened)}
      onClose={close}
      size={280}
      lockScroll={false}
      title={title}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {children}
    </Drawer>
  )
}
