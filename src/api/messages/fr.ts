import type { Messages } from "./texts.ts";
import { waitText } from "./wait-text.ts";

export const french: Messages = {
	"key-missing": () =>
		"La clé d’application manque ; elle doit figurer dans l’en-tête Authorization: Bearer <key>.",
	"key-invalid": () => "Cette clé d’application n’est pas valable : elle est inconnue, révoquée ou expirée.",
	"account-unverified": () => "L’adresse e-mail de ce compte n’est pas encore confirmée.",
	"plan-without-api": () => "L’abonnement de ce compte ne comprend pas l’accès à l’API.",
	"session-unknown": () => "Cette session n’existe pas.",
	"path-unknown": ({ method, path }) => `${method} ${path} n’existe pas.`,
	"body-not-json": () => "Le corps de la requête n’est pas du JSON valide.",
	"body-not-object": () => "Le corps de la requête doit être un objet JSON.",
	"body-too-large": ({ limit }) => `Le corps de la requête dépasse ${limit}.`,
	"field-unknown": ({ field }) => `Le champ ${field} n’est pas connu.`,
	"name-invalid": () => "name doit être un texte de 1 à 64 caractères.",
	"image-invalid": () => "image doit être l’identifiant d’une image, un texte de 1 à 128 caractères.",
	"image-not-supported": ({ image }) =>
		`L’image ${image} n’existe pas ou ne permet pas de sessions par l’API.`,
	"url-invalid": () => "url doit être une adresse qui commence par http:// ou https://.",
	"screen-invalid": () =>
		"screen doit être {width, height} en pixels entiers, width de 320 à 1920 et height de 480 à 1080.",
	"country-invalid": () => "country doit être le code d’un pays ou d’une ville, par exemple de ou de-berlin.",
	"country-unknown": ({ country }) =>
		`country ${country} n’est pas connu ; GET /image donne la liste des emplacements.`,
	"country-with-proxy": () =>
		"country et proxy ne peuvent pas être combinés ; il faut omettre l’un des deux.",
	"egress-invalid": () => 'egress doit valoir "residential" ou être omis.',
	"egress-with-proxy": () => "egress et proxy ne peuvent pas être combinés ; il faut omettre l’un des deux.",
	"proxy-invalid": () =>
		"proxy doit avoir la forme protocol://[user:password@]host:port, avec le protocole http, https, socks4 ou socks5.",
	"proxy-private": () => "proxy ne doit pas désigner une adresse privée ou interne.",
	"residential-not-configured": () =>
		"egress ne peut pas valoir residential : ce serveur n’a pas de connexions résidentielles.",
	"residential-country-unknown": ({ country }) =>
		`Il n’y a pas de connexion résidentielle pour country ${country} ; GET /image donne la liste des pays.`,
	"idempotency-key-invalid": () => "idempotencyKey doit être un texte de 1 à 128 caractères.",
	"query-limit-invalid": () => "limit doit être un nombre entier de 1 à 200.",
	"query-status-invalid": () => 'status doit valoir "all" ou être omis.',
	"slots-full": ({ limit }) =>
		`Toutes les places de session de ce compte (${limit}) sont occupées ; il faut d’abord arrêter une session.`,
	"no-plan": () => "Ce compte n’a pas d’abonnement actif.",
	"image-restricted": ({ image }) => `L’abonnement de ce compte ne comprend pas l’image ${image}.`,
	"plan-without-locations": () =>
		"L’abonnement de ce compte ne comprend pas le choix de l’emplacement ; il faut omettre country.",
	"plan-without-own-proxy": () =>
		"L’abonnement de ce compte ne comprend pas l’emploi d’un proxy personnel ; il faut omettre proxy.",
	"plan-without-residential": () =>
		"L’abonnement de ce compte ne comprend pas les connexions résidentielles ; il faut omettre egress.",
	"cycle-sessions-used": ({ limit }) =>
		`Toutes les sessions de cette période de facturation (${limit}) sont épuisées.`,
	"runtime-used": () => "La durée d’utilisation prévue pour cette période de facturation est épuisée.",
	"residential-used": () => "Le volume de données résidentiel de cette période de facturation est épuisé.",
	"start-rate": ({ seconds }) =>
		`Trop de sessions ont été démarrées en peu de temps ; la prochaine pourra démarrer dans ${waitText("fr", seconds)}.`,
	"request-rate": () => "Trop de requêtes proviennent de cette adresse ; il faut ralentir.",
	"browser-missing": ({ image }) => `Aucun navigateur n’est installé sur le serveur pour l’image ${image}.`,
	"storage-full": () =>
		"Le disque du serveur est plein ; rien ne peut être démarré avant que de la place ne soit libérée.",
	"shutting-down": () => "Le service est en cours d’arrêt.",
	fault: () => "Une erreur est survenue sur le serveur.",
};
