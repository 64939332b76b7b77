import { manager } from 'manager'

// PASTE
