export function bundle(): Promise<void>
