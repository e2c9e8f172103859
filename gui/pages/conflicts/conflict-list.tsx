import { useEffect, useRef, useState } from 'preact/hooks'
import type { ConflictJson } from '../../../src/rest/conflicts.ts'
import { addressOf } from '../../base/address.ts'
import { baseName } from '../../base/paths.ts'
import { visibleName } from '../../base/visible-name.ts'
import { pagesOf, visibleRows } from '../../base/visible-rows.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import type { PagedList } from '../../live/paged.ts'
import { usePaged, type LoadedLists } from '../../live/use-paged.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'

const PER_PAGE = 100
const ROW_PX = 52
/** Before the list has been laid out. */
const HEIGHT_PX = 600

export interface ConflictRows extends LoadedLists<ConflictJson> {
  /** Undefined until the first page has arrived. */
  readonly list: PagedList<ConflictJson> | undefined
}

/** Some conflict, as an address names it. */
export interface ConflictId {
  readonly folder: string
  readonly name: string
}

/** The conflicts of all folders, fetched page by page as rows come into sight. */
export function useConflicts(): ConflictRows {
  const revision = useLive(({ conflicts, folderEvents }) => {
    const events = Object.values(folderEvents).reduce((sum, count) => sum + count, 0)
    return `${events} ${JSON.stringify(conflicts)}`
  })
  const paged = usePaged<ConflictJson>(
    'all',
    (_key, page, signal) => client.call('GET /rest/twinfold/conflicts', { query: { page, perpage: PER_PAGE }, signal }),
    revision,
  )
  useEffect(() => paged.show(new Map([['', [1]]])), [])
  return { ...paged, list: paged.lists.get('') }
}

export function conflictAt({ pages }: PagedList<ConflictJson>, index: number): ConflictJson | undefined {
  return pages.get(Math.floor(index / PER_PAGE) + 1)?.[index % PER_PAGE]
}

/** The place in the list; -1 where it is not loaded. */
export function placeOf({ pages }: PagedList<ConflictJson>, wanted: ConflictId | undefined): number {
  for (const [page, items] of pages) {
    const index = items.findIndex(({ folder, name }) => folder === wanted?.folder && name === wanted.name)
    if (index >= 0) return (page - 1) * PER_PAGE + index
  }
  return -1
}

interface ListProps {
  readonly rows: ConflictRows
  readonly list: PagedList<ConflictJson>
  readonly chosen: number
}

/** All conflicts, of which only those in sight are rendered. */
export function ConflictList({ rows, list, chosen }: ListProps) {
  const element = useRef<HTMLDivElement>(null)
  const [scrolled, setScrolled] = useState({ topPx: 0, heightPx: HEIGHT_PX })
  const { first, end } = visibleRows(-scrolled.topPx, scrolled.heightPx, ROW_PX, list.total)
  useEffect(() => rows.show(new Map([['', pagesOf({ first, end }, PER_PAGE)]])))
  useEffect(() => {
    const box = element.current
    if (box === null) return
    const measure = () => setScrolled({ topPx: box.scrollTop, heightPx: box.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const box = element.current
    if (box === null || chosen < 0) return
    const topPx = chosen * ROW_PX
    if (topPx < box.scrollTop) box.scrollTop = topPx
    else if (topPx + ROW_PX > box.scrollTop + box.clientHeight) box.scrollTop = topPx + ROW_PX - box.clientHeight
  }, [chosen])
  return (
    <nav
      ref={element}
      class="desk-list"
      aria-label={t('desk.back')}
      tabIndex={0}
      onScroll={({ currentTarget }) =>
        setScrolled({ topPx: currentTarget.scrollTop, heightPx: currentTarget.clientHeight })
      }
    >
      <ul style={{ height: `${list.total * ROW_PX}px` }}>
        {Array.from({ length: end - first }, (_, nth) => (
          <Row
            key={first + nth}
            index={first + nth}
            item={conflictAt(list, first + nth)}
            isChosen={first + nth === chosen}
          />
        ))}
      </ul>
    </nav>
  )
}

interface RowProps {
  readonly index: number
  readonly item: ConflictJson | undefined
  readonly isChosen: boolean
}

function Row({ index, item, isChosen }: RowProps) {
  const state = useLive((value) => value)
  const style = { top: `${index * ROW_PX}px` }
  if (item === undefined) return <li class="desk-row" style={style} aria-hidden="true" />
  const { file, folder, modifiedBy, name, original } = item
  const config = state.config?.folders.find(({ id }) => id === folder)
  const label = config === undefined ? visibleName(folder) : folderName(config)
  const devices = [...new Set([file?.modifiedBy ?? modifiedBy, modifiedBy])].map((id) => deviceNameById(state, id))
  return (
    <li class="desk-row" style={style}>
      <a
        href={addressOf('conflicts', folder, name)}
        aria-current={isChosen ? 'true' : undefined}
        title={visibleName(original)}
      >
        <span class="desk-name">{visibleName(baseName(original))}</span>
        <span class="soft">
          {[label, ...directoriesOf(original)].join('/')} · {devices.join(', ')}
        </span>
      </a>
    </li>
  )
}

function directoriesOf(path: string): readonly string[] {
  return path.split('/').slice(0, -1).map(visibleName)
}
