import type { FolderConfig } from '../../../src/core/config.ts'
import { addressOf } from '../../app/address.ts'
import { folderFacts, folderName } from '../../facts/folder.ts'
import { formatSize } from '../../facts/format.ts'
import { useLive } from '../../live/live.ts'
import { Bar, State } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'

/** One line a folder: name, state in words, a bar only while something moves. */
export function FolderRow({ folder }: { readonly folder: FolderConfig }) {
  const live = useLive((state) => state.folders[folder.id])
  const progress = useLive((state) => state.progress[folder.id])
  const facts = folderFacts(folder, live, progress)
  return (
    <a class="row" href={addressOf('folders', folder.id)}>
      <span class="row-name">{folderName(folder)}</span>
      <State tone={facts.tone}>{facts.text}</State>
      <span class="row-detail">
        {facts.fraction === undefined
          ? live && `${t('count.files', { n: live.status.globalFiles })} · ${formatSize(live.status.globalBytes)}`
          : <Bar fraction={facts.fraction} label={facts.text} />}
      </span>
      <span class="row-side">{t('count.devices', { n: folder.devices.length })}</span>
    </a>
  )
}
