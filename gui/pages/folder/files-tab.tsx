import { useEffect, useRef, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { folderName } from '../../facts/folder-name.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLater } from '../../live/later.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { QueryResult } from './query-result.tsx'
import { openFile } from './file-drawer.tsx'
import { FileRow, FilesHead } from './file-row.tsx'
import { FileTree } from './file-tree.tsx'

const TEXT_MAX = 200

/** The folder as a tree, or what a search finds in it. An address that names a file opens it. */
export function FilesTab({ folder, file }: { readonly folder: FolderConfig; readonly file: string | undefined }) {
  const [text, setText] = useState('')
  const opened = useRef('')
  useEffect(() => {
    if (file === undefined || file === opened.current) return
    opened.current = file
    openFile(folder.id, file)
  }, [file])
  const wanted = useLater(text.trim())
  return (
    <>
      <SearchBox label={t('files.search')} text={text} onText={setText} />
      {wanted === '' ? <FileTree folder={folder} /> : <Found folder={folder} text={wanted} />}
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

function Found({ folder, text }: { readonly folder: FolderConfig; readonly text: string }) {
  const turn = useFolderRevision(folder.id)
  const query = useQuery(
    text,
    async (signal) => ({
      text,
      ...(await client.call('GET /rest/twinfold/search', { query: { folder: folder.id, text }, signal })),
    }),
    turn,
  )
  return (
    <QueryResult query={query}>
      {({ items, truncated, text: searched }) =>
        items.length === 0 ? (
          <Empty>{t('files.notFound', { text: searched })}</Empty>
        ) : (
          <>
            <p class="soft files-note" role="status">
              {t(truncated ? 'files.foundMore' : 'files.found', { n: items.length })}
            </p>
            <table class="files-table tree-table">
              <caption class="unseen">{t('files.tree', { folder: folderName(folder) })}</caption>
              <FilesHead />
              <tbody>
                {items.map((item) => (
                  <FileRow key={item.name} folder={folder} item={item} path={item.name} />
                ))}
              </tbody>
            </table>
          </>
        )
      }
    </QueryResult>
  )
}
