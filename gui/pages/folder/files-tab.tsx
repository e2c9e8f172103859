import { useEffect } from 'preact/hooks'
import type { FoundInFolder, SearchProgress } from '../../../src/client/search.ts'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { reasonOf } from '../../app/run-action.ts'
import { replacePlace, useParam } from '../../base/route.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { rowsSource, Table, useTableView } from '../../ui/table.tsx'
import { t } from '../../i18n/texts.ts'
import { ChoiceBar, KeepEverything, mayChoose, useFileChoice, type FileChoice } from './choose-files.tsx'
import { QueryResult } from './query-result.tsx'
import { openFile } from './file-drawer.tsx'
import { FileBulk, useFileSelection } from './file-bulk.tsx'
import { fileColumns, type FileLine } from './file-columns.tsx'
import { FileTree } from './file-tree.tsx'
import { LastKnown } from './last-known.tsx'
import { useAsNeighbours } from './neighbours.ts'

const TEXT_MAX = 200

/** The folder as a tree, or what a search finds in it. An address that names a file opens it above its folder. */
export function FilesTab({ folder, file }: { readonly folder: FolderConfig; readonly file: string | undefined }) {
  const [text, setText] = useParam('search')
  const [ignored, setIgnored] = useParam('ignored')
  const hasIgnored = ignored !== ''
  const [chosen, setChosen] = useParam('choose')
  const isChoosing = chosen !== '' && mayChoose(folder)
  const choice = useFileChoice(folder, isChoosing)
  useEffect(() => {
    if (file === undefined) return
    replacePlace('folders', folder.id, 'files')
    openFile(folder.id, file)
  }, [file])
  const wanted = useDebounced(text.trim())
  return (
    <>
      <div class="files-bar">
        <SearchBox label={t('files.search')} text={text} onText={setText} />
        {mayChoose(folder) && (
          <Button
            needs="admin"
            kind="quiet"
            icon="check"
            pressed={isChoosing}
            onClick={() => setChosen(isChoosing ? '' : 'on')}
          >
            {t('choose.open')}
          </Button>
        )}
        {folder.type !== 'receiveencrypted' && (
          <Button kind="quiet" icon="eye" pressed={hasIgnored} onClick={() => setIgnored(hasIgnored ? '' : 'shown')}>
            {t('files.showIgnored')}
          </Button>
        )}
      </div>
      {choice.click && <KeepEverything choice={choice} />}
      <LastKnown folder={folder.id}>
        {wanted === '' ? (
          <FileTree folder={folder} hasIgnored={hasIgnored} choice={choice} />
        ) : (
          <Found folder={folder} text={wanted} choice={choice} />
        )}
      </LastKnown>
      {isChoosing && <ChoiceBar folder={folder} choice={choice} />}
    </>
  )
}

/** The search field; `/` focuses it from anywhere on the page. */
export function SearchBox({
  label,
  text,
  onText,
}: {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
}) {
  return (
    <div class="search" role="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        value={text}
        maxLength={TEXT_MAX}
        placeholder={label}
        aria-label={label}
        spellcheck={false}
        autoComplete="off"
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  )
}

interface FoundProps {
  readonly folder: FolderConfig
  readonly choice: FileChoice
}

interface Found extends SearchProgress<FoundInFolder> {
  readonly text: string
}

function Found({ folder, text, choice }: FoundProps & { readonly text: string }) {
  const turn = useFolderRevision(folder.id)
  const query = useQuery<Found>(
    text,
    async (signal, onPart) => {
      let found: Found = { text, items: [], searched: 0, isRunning: true, truncated: true }
      for await (const progress of client.search(folder.id, text, { signal })) onPart((found = { text, ...progress }))
      return found
    },
    turn,
  )
  return (
    <QueryResult query={query}>
      {(found) => (
        <>
          <FoundNote found={found} error={query.error} />
          {found.items.length > 0 && (
            <FoundTable
              folder={folder}
              choice={choice}
              lines={found.items.map((item) => ({ item, path: item.name }))}
            />
          )}
        </>
      )}
    </QueryResult>
  )
}

/** How many are found, and whether that is all. */
function FoundNote({ found, error }: { readonly found: Found; readonly error: unknown }) {
  const { items, searched, isRunning, truncated, text } = found
  if (items.length === 0 && !truncated) return <EmptyNote>{t('files.notFound', { text })}</EmptyNote>
  const count = t(truncated && !isRunning ? 'files.foundMore' : 'files.found', { n: items.length })
  const rest =
    error === undefined ? t('files.searching', { n: searched }) : t('fold.failed', { reason: reasonOf(error) })
  return (
    <p class="soft files-note">
      <span role="status">{count}</span>
      {isRunning && ` · ${rest}`}
    </p>
  )
}

function FoundTable({ folder, choice, lines }: FoundProps & { readonly lines: readonly FileLine[] }) {
  useAsNeighbours(
    folder.id,
    lines.map(({ path }) => path),
  )
  const files = useFileSelection(folder, lines)
  return (
    <>
      <Table
        view={useTableView(lines.length)}
        kind="tree-table"
        caption={t('files.tree', { folder: folderName(folder) })}
        columns={fileColumns(folder, choice)}
        rows={rowsSource(lines)}
        keyOf={({ path }) => path}
        selection={
          choice.click ? undefined : files.selection && { ...files.selection, all: lines.map(({ path }) => path) }
        }
      />
      <FileBulk folder={folder} files={files} />
    </>
  )
}
