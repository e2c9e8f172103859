/** Saves a file as a download. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser reads it after the click; a minute is far more than it needs.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
