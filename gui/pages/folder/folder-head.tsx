import type { ComponentChildren } from 'preact'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { FolderStatusJson } from '../../../src/rest/db.ts'
import { addressOf } from '../../base/address.ts'
import { causeOf } from '../../../src/core/remedies/cause.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { evidenceText } from '../../view-model/evidence-text.ts'
import { errorText } from '../../view-model/error-text.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { folderState, stopReason } from '../../view-model/folder-state.ts'
import { folderText } from '../../view-model/folder-text.ts'
import { formatSize } from '../../i18n/format.ts'
import { shareStateOf } from '../../view-model/share-state.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Disagreements } from '../../ui/disagreements.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo, ProgressBar, StateLabel } from '../../ui/parts.tsx'
import { PausedUntil } from '../../ui/paused-until.tsx'
import { ShareText } from '../../ui/share-text.tsx'
import { t } from '../../i18n/texts.ts'
import { RemedyActions } from '../attention/remedy-actions.tsx'
import { FolderActions } from './folder-actions.tsx'
import { MoveNotice } from './move-folder.tsx'

/** The name and state of the folder, with the actions on it as a whole. */
export function FolderHead({ folder }: { readonly folder: FolderConfig }) {
  const state = useLive((value) => value)
  const live = lookUp(state.folders, folder.id)
  const lastScan = useLive((state) => lookUp(state.folderStats, folder.id)?.lastScan)
  const facts = folderState(state, folder)
  const text = folderText(facts, state)
  const status = live?.status
  return (
    <header class="folder-head">
      <nav class="page-back" aria-label={t('nav.folders')}>
        <a href={addressOf('folders')}>{t('nav.folders')}</a>
        <Icon name="chevron" size={14} />
      </nav>
      <div class="folder-title">
        <div class="folder-name">
          <h1>{folderName(folder)}</h1>
          <StateLabel tone={facts.tone}>{text}</StateLabel>
          {facts.code === 'paused' && <PausedUntil id={folder.id} />}
        </div>
        <FolderActions folder={folder} />
      </div>
      {facts.fraction !== undefined && (
        <div class="folder-progress">
          <ProgressBar fraction={facts.fraction} label={text} />
        </div>
      )}
      <dl class="folder-facts">
        <Fact name={t('fold.path')}>
          <span class="mono">{folder.path}</span>
        </Fact>
        <Fact name={t('fold.type')}>{t(`fold.type.${folder.type}`)}</Fact>
        <EncryptedFor folder={folder} />
        {status && facts.isCounted && <Sizes status={status} />}
        {facts.waiting > 0 && (
          <Fact name={t('fold.waiting')}>
            <a
              href={addressOf('folders', folder.id, 'waiting')}
            >{`${t('count.items', { n: facts.waiting })} · ${formatSize(facts.bytesLeft)}`}</a>
          </Fact>
        )}
        {lastScan !== undefined && (
          <Fact name={t('fold.lastScan')}>
            <TimeAgo time={lastScan} />
          </Fact>
        )}
      </dl>
      {folder.type === 'receiveencrypted' && <p class="soft">{t('encrypt.storedEncrypted')}</p>}
      <MoveNotice folder={folder} />
      {facts.code === 'stopped' && live !== undefined && <Stopped folder={folder.id} reason={stopReason(live)} />}
      <Disagreements folderId={folder.id} />
    </header>
  )
}

/** The devices that must not read the folder, and how much of it each of them has. */
function EncryptedFor({ folder }: { readonly folder: FolderConfig }) {
  const state = useLive((value) => value)
  const readers = folder.devices.filter(({ encryptionPassword }) => encryptionPassword !== '')
  if (readers.length === 0) return null
  return (
    <Fact name={t('encrypt.for')}>
      {readers.map(({ deviceID }) => (
        <span key={deviceID} class="folder-reader">
          <a href={addressOf('devices', deviceID)}>{deviceNameById(state, deviceID)}</a>{' '}
          <ShareText state={shareStateOf(state, folder, deviceID)} />
        </span>
      ))}
    </Fact>
  )
}

/** What is here and what is on all devices; once where both are the same. */
function Sizes({ status }: { readonly status: FolderStatusJson }) {
  const here = sizeText(status.localFiles, status.localBytes)
  const everywhere = sizeText(status.globalFiles, status.globalBytes)
  if (here === everywhere) return <Fact name={t('table.content')}>{here}</Fact>
  return (
    <>
      <Fact name={t('fold.here')}>{here}</Fact>
      <Fact name={t('fold.everywhere')}>{everywhere}</Fact>
    </>
  )
}

function sizeText(files: number, bytes: number): string {
  return `${t('count.files', { n: files })} · ${formatSize(bytes)}`
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Stopped({ folder, reason }: { readonly folder: string; readonly reason: string }) {
  const code = causeOf(reason)
  const remedy = useLive(({ remedies }) => remedies.find((each) => each.folder === folder && each.cause === code))
  return (
    <div class="folder-stopped" role="alert">
      <Icon name="error" />
      <div>
        <strong>
          {t('fold.stopped')}: {t(`cause.${code}`)}
        </strong>
        {(remedy === undefined || evidenceText(remedy) === undefined) && <p>{t(`remedy.${code}`)}</p>}
        {code === 'other' && <p class="soft">{errorText(reason)}</p>}
        {remedy !== undefined && <RemedyActions remedy={remedy} />}
      </div>
    </div>
  )
}
