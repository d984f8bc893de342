import { createAccount, createOperator, createUser, type KeyPair } from "@nats-io/nkeys";

// What NATS's own tools (nsc, nk) would make: keys, and an operator with one account for a server that asks for JWTs.

const text = new TextDecoder();

export interface Keys {
  readonly serverConfig: string;
  /** The text of a credentials file of a user. */
  credentials(): string;
}

export function makeUser(): { seed: string; publicKey: string; pair: KeyPair } {
  const pair = createUser();
  return { seed: text.decode(pair.getSeed()), publicKey: pair.getPublicKey(), pair };
}

export function makeAccount(): Keys {
  const [operator, account, system] = [createOperator(), createAccount(), createAccount()];
  const endless = {
    ...{ subs: -1, conn: -1, leaf: -1, imports: -1, exports: -1, data: -1, payload: -1 },
    ...{ wildcards: true, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
  };
  const operatorJwt = jwt(operator, operator, "operator", {});
  const accountJwt = jwt(account, operator, "account", { limits: endless });
  const { mem_storage: _, disk_storage: __, streams: ___, consumer: ____, ...plain } = endless;
  const systemJwt = jwt(system, operator, "account", { limits: plain });
  return {
    serverConfig: `operator: ${operatorJwt}
resolver: MEMORY
system_account: ${system.getPublicKey()}
resolver_preload: { ${account.getPublicKey()}: ${accountJwt}, ${system.getPublicKey()}: ${systemJwt} }`,
    credentials() {
      const { seed, pair } = makeUser();
      const userJwt = jwt(pair, account, "user", {
        pub: {},
        sub: {},
        subs: -1,
        data: -1,
        payload: -1,
      });
      return `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;
    },
  };
}

function jwt(subject: KeyPair, issuer: KeyPair, type: string, nats: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    ...{ jti: subject.getPublicKey(), iat: Math.floor(Date.now() / 1_000), name: type },
    ...{ iss: issuer.getPublicKey(), sub: subject.getPublicKey() },
    nats: { ...nats, type, version: 2 },
  };
  const signed = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(claims)}`;
  const signature = issuer.sign(new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString("base64url")}`;
}
