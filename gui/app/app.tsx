import { useEffect } from 'preact/hooks'
import { useStore } from '../base/store.ts'
import { useLive } from '../live/live.ts'
import { AttentionPage } from '../pages/attention/attention-page.tsx'
import { DevicesPage } from '../pages/device/devices-page.tsx'
import { FoldersPage } from '../pages/folder/folders-page.tsx'
import { LoginPage } from '../pages/login/login-page.tsx'
import { OverviewPage } from '../pages/overview/overview-page.tsx'
import { EmptyNote, Skeleton } from '../ui/parts.tsx'
import { currentTexts, t } from '../i18n/texts.ts'
import { Dialogs } from '../base/dialogs.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { latePage } from './late-page.tsx'
import { LinkBar } from './link-bar.tsx'
import { LoginOverlay } from './login-overlay.tsx'
import { usePlace } from '../base/route.ts'
import { SideBar } from './side-bar.tsx'
import { useTitle } from './title.ts'
import { Toasts } from './toasts.tsx'
import { TopBar } from './top-bar.tsx'

/** The whole page. Another language renders all of it again without losing state. */
export function App() {
  useStore(currentTexts, (value) => value)
  return (
    <ErrorBoundary>
      <Frame />
    </ErrorBoundary>
  )
}

function Frame() {
  useTitle()
  const place = usePlace().join('/')
  const locked = useLive((state) => state.link === 'locked')
  const known = useLive((state) => state.config !== undefined)
  const isLost = useLive((state) => state.link === 'lost')
  if (locked && !known)
    return (
      <>
        <LoginPage />
        <Toasts />
      </>
    )
  return (
    <div class={isLost ? 'frame last-known' : 'frame'}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        {t('nav.skip')}
      </a>
      <SideBar />
      <div class="column">
        <TopBar />
        <main id="main" class="main" tabIndex={-1}>
          <ErrorBoundary place={place}>
            <Page />
          </ErrorBoundary>
        </main>
      </div>
      <ErrorBoundary>
        <Dialogs />
      </ErrorBoundary>
      {locked && <LoginOverlay />}
      <LinkBar />
      <Toasts />
    </div>
  )
}

const latePages = () => import('../pages/late-pages.ts')
const ChangesPage = latePage(async () => (await latePages()).ChangesPage)
const ConflictsPage = latePage(async () => (await latePages()).ConflictsPage)
const LogPage = latePage(async () => (await latePages()).LogPage)
const SettingsPage = latePage(async () => (await latePages()).SettingsPage)
const FolderPage = latePage(async () => (await latePages()).FolderPage)
const DevicePage = latePage(async () => (await latePages()).DevicePage)

/** The address after the hash names a place of the page; the jump is made without it. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Page() {
  const [place, id, part, ...rest] = usePlace()
  const loaded = useLive((state) => state.config !== undefined)
  useEffect(() => scrollTo(0, 0), [place, id, part])
  if (!loaded) return <Skeleton lines={6} />
  switch (place) {
    case undefined:
      return <OverviewPage />
    case 'attention':
      return <AttentionPage />
    case 'conflicts':
      return <ConflictsPage folder={id} name={part} />
    case 'folders':
      return id === undefined ? <FoldersPage /> : <FolderPage key={id} id={id} tab={part ?? 'files'} rest={rest} />
    case 'devices':
      return id === undefined ? <DevicesPage /> : <DevicePage key={id} id={id} />
    case 'changes':
      return <ChangesPage />
    case 'log':
      return <LogPage />
    case 'settings':
      return <SettingsPage section={id ?? 'general'} />
    default:
      return <EmptyNote>{t('page.unknown')}</EmptyNote>
  }
}
