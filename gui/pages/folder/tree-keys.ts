/** What a key does in a tree: where the focus goes, what opens or closes. */
export interface TreeStep {
  readonly row?: HTMLElement | undefined
  readonly toggle?: string
  readonly open?: string
}

/** The usual keys of a tree: up and down between rows, right into a directory, left out of it, Enter for the item. */
export function stepInTree(event: KeyboardEvent): TreeStep | undefined {
  const row = event.target
  if (
    !(row instanceof HTMLElement) ||
    row.dataset['path'] === undefined ||
    event.altKey ||
    event.ctrlKey ||
    event.metaKey
  )
    return undefined
  const rows = [...(row.closest('table')?.querySelectorAll<HTMLElement>('tr[data-path]') ?? [])]
  const at = rows.indexOf(row)
  const path = row.dataset['path']
  const expanded = row.getAttribute('aria-expanded')
  switch (event.key) {
    case 'ArrowDown':
      return { row: rows[at + 1] }
    case 'ArrowUp':
      return { row: rows[at - 1] }
    case 'Home':
      return { row: rows[0] }
    case 'End':
      return { row: rows.at(-1) }
    case 'ArrowRight':
      return expanded === 'false' ? { toggle: path } : expanded === 'true' ? { row: rows[at + 1] } : {}
    case 'ArrowLeft':
      return expanded === 'true' ? { toggle: path } : { row: parentOf(rows, at) }
    case 'Enter':
    case ' ':
      return expanded === null || event.key === 'Enter' ? { open: path } : { toggle: path }
    default:
      return undefined
  }
}

function parentOf(rows: readonly HTMLElement[], at: number): HTMLElement | undefined {
  const levelOf = (row: HTMLElement | undefined) => Number(row?.getAttribute('aria-level') ?? 0)
  return rows.slice(0, at).findLast((row) => levelOf(row) < levelOf(rows[at]))
}
