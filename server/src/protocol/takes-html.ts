/** Whether an Accept header takes a page (RFC 9110 §12.5.1). */
export function takesHtml(accept: string | undefined): boolean {
  const ranges = accept?.toLowerCase().split(',') ?? []
  return ranges.some((range) => /^\s*text\/html\b/.test(range) && !/;\s*q=0(\.0*)?\s*$/.test(range))
}
