import type { CredentialField } from './ports/gateway.ts';
import type { ServiceContext } from './services/context.ts';
import { findLinkPage } from './services/instances/link-page.ts';
import { updateInstance } from './services/instances/update-instance.ts';
import { unwrap } from './trunkline-error.ts';

/** The pages on which people enter the credentials of instances. */
export interface LinkPages {
  /**
   * Returns the content of a page by the token in its address. Throws QR_NOT_AVAILABLE if the instance does not show
   * this address, or not any more.
   */
  find(token: string): Promise<LinkPage>;
  /** Gives the instance of a page its credentials. Throws what an update of the instance throws. */
  submit(token: string, credentials: Readonly<Record<string, string>>): Promise<void>;
}

/** The content of a page on which a person enters the credentials of an instance. */
export interface LinkPage {
  /** The display name of the instance. */
  readonly name: string;
  /** The name of its network, for people. */
  readonly network: string;
  /** The values to enter. */
  readonly credentials: readonly CredentialField[];
}

export function linkPages(context: ServiceContext): LinkPages {
  return {
    async find(token) {
      const { name, network } = unwrap(await findLinkPage(context, token));
      const { title, credentials = [] } = context.gateways.get(network);
      return { name, network: title, credentials };
    },
    async submit(token, credentials) {
      const { workspaceId, id } = unwrap(await findLinkPage(context, token));
      unwrap(await updateInstance(context, { workspaceId, id }, { credentials }));
    },
  };
}
