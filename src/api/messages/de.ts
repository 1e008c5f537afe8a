import type { Messages } from "./texts.ts";
import { waitText } from "./wait-text.ts";

export const german: Messages = {
	"key-missing": () => "Der App-Schlüssel fehlt; er gehört in den Header Authorization: Bearer <key>.",
	"key-invalid": () => "Dieser App-Schlüssel ist nicht gültig: Er ist unbekannt, widerrufen oder abgelaufen.",
	"account-unverified": () => "Die E-Mail-Adresse dieses Kontos ist noch nicht bestätigt.",
	"plan-without-api": () => "Der Tarif dieses Kontos umfasst keinen API-Zugang.",
	"session-unknown": () => "Diese Sitzung gibt es nicht.",
	"path-unknown": ({ method, path }) => `${method} ${path} gibt es nicht.`,
	"body-not-json": () => "Der Inhalt der Anfrage ist kein gültiges JSON.",
	"body-not-object": () => "Der Inhalt der Anfrage muss ein JSON-Objekt sein.",
	"body-too-large": ({ limit }) => `Der Inhalt der Anfrage ist größer als ${limit}.`,
	"field-unknown": ({ field }) => `Das Feld ${field} ist nicht bekannt.`,
	"name-invalid": () => "name muss ein Text von 1 bis 64 Zeichen sein.",
	"image-invalid": () => "image muss die Kennung eines Images sein, ein Text von 1 bis 128 Zeichen.",
	"image-not-supported": ({ image }) =>
		`Das Image ${image} gibt es nicht, oder es ist für Sitzungen über die API nicht geeignet.`,
	"url-invalid": () => "url muss eine Adresse sein, die mit http:// oder https:// beginnt.",
	"screen-invalid": () =>
		"screen muss {width, height} in ganzen Pixeln sein, width von 320 bis 1920 und height von 480 bis 1080.",
	"country-invalid": () =>
		"country muss der Code eines Landes oder einer Stadt sein, etwa de oder de-berlin.",
	"country-unknown": ({ country }) =>
		`country ${country} ist nicht bekannt; die verfügbaren Standorte stehen in GET /image.`,
	"country-with-proxy": () => "country und proxy schließen einander aus; eines von beiden muss entfallen.",
	"egress-invalid": () => 'egress muss "residential" sein oder entfallen.',
	"egress-with-proxy": () => "egress und proxy schließen einander aus; eines von beiden muss entfallen.",
	"proxy-invalid": () =>
		"proxy muss die Form protocol://[user:password@]host:port haben, mit dem Protokoll http, https, socks4 oder socks5.",
	"proxy-private": () => "proxy darf nicht auf eine private oder interne Adresse zeigen.",
	"residential-not-configured": () =>
		"egress kann nicht residential sein: Dieser Server hat keine Privatanschlüsse.",
	"residential-country-unknown": ({ country }) =>
		`Für country ${country} gibt es keinen Privatanschluss; die verfügbaren Länder stehen in GET /image.`,
	"idempotency-key-invalid": () => "idempotencyKey muss ein Text von 1 bis 128 Zeichen sein.",
	"query-limit-invalid": () => "limit muss eine ganze Zahl von 1 bis 200 sein.",
	"query-status-invalid": () => 'status muss "all" sein oder entfallen.',
	"slots-full": ({ limit }) =>
		`Alle Sitzungsplätze dieses Kontos (${limit}) sind belegt; zuerst muss eine Sitzung enden.`,
	"no-plan": () => "Dieses Konto hat keinen aktiven Tarif.",
	"image-restricted": ({ image }) => `Der Tarif dieses Kontos umfasst das Image ${image} nicht.`,
	"plan-without-locations": () =>
		"Der Tarif dieses Kontos umfasst keine Standortwahl; country muss entfallen.",
	"plan-without-own-proxy": () =>
		"Der Tarif dieses Kontos umfasst keine eigenen Proxys; proxy muss entfallen.",
	"plan-without-residential": () =>
		"Der Tarif dieses Kontos umfasst keine Privatanschlüsse; egress muss entfallen.",
	"cycle-sessions-used": ({ limit }) =>
		`Alle Sitzungen dieses Abrechnungszeitraums (${limit}) sind aufgebraucht.`,
	"runtime-used": () =>
		"Die Laufzeit, die der Tarif für diesen Abrechnungszeitraum vorsieht, ist aufgebraucht.",
	"residential-used": () =>
		"Das Datenvolumen über Privatanschlüsse ist für diesen Abrechnungszeitraum aufgebraucht.",
	"start-rate": ({ seconds }) =>
		`In kurzer Zeit wurden zu viele Sitzungen gestartet; die nächste kann in ${waitText("de", seconds)} starten.`,
	"request-rate": () => "Von dieser Adresse kommen zu viele Anfragen; bitte langsamer anfragen.",
	"browser-missing": ({ image }) => `Für das Image ${image} ist auf dem Server kein Browser installiert.`,
	"storage-full": () =>
		"Der Speicherplatz des Servers ist erschöpft; bis wieder Platz ist, kann nichts gestartet werden.",
	"shutting-down": () => "Der Dienst wird gerade beendet.",
	fault: () => "Auf dem Server ist ein Fehler aufgetreten.",
};
