import { launchdPlan } from './launchd.ts'
import { systemdPlan } from './systemd.ts'
import type { ServiceFacts, ServicePlan, ServicePlatform } from './types.ts'
import { windowsPlan } from './windows.ts'

const PLANS: Readonly<Record<ServicePlatform, (facts: ServiceFacts) => ServicePlan>> = {
  systemd: systemdPlan,
  launchd: launchdPlan,
  windows: windowsPlan,
}

/** How the service is installed, removed and queried. Depends on its argument alone. */
export function planService(facts: ServiceFacts): ServicePlan {
  return PLANS[facts.platform](facts)
}
