import { runAction } from '../../app/run-action.ts'
import { saveFile } from '../../app/save-file.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { confirm } from '../../ui/confirm.tsx'
import { t } from '../../i18n/texts.ts'

/** By a request and not by a link: below /rest the daemon accepts only requests of its own page. */
export async function downloadLog(): Promise<void> {
  await runAction(async () =>
    saveFile('twinfold-log.txt', await client.request('GET', '/rest/system/log.txt'), 'text/plain'),
  )
}

export async function downloadSupport(): Promise<void> {
  if (live.get().config?.gui.debugging === true) {
    await runAction(fetchSupport)
    return
  }
  const wanted = await confirm({ title: t('log.supportTitle'), text: t('log.supportText'), action: t('log.download') })
  if (!wanted) return
  await runAction(async () => {
    await allowDebugging(true)
    try {
      await fetchSupport()
    } finally {
      await allowDebugging(false)
    }
  })
}

async function fetchSupport(): Promise<void> {
  const { name, bytes } = await client.download('/rest/debug/support', new AbortController().signal)
  saveFile(name, new Uint8Array(bytes), 'application/zip')
}

async function allowDebugging(debugging: boolean): Promise<void> {
  await client.call('PATCH /rest/config/gui', { body: { debugging } })
}
