# Whether the service of this container answers at the address that is set. bash asks by itself: the start of a Node.js
# every ten seconds costs fifty times as much.
host=${TESSERA_HOST:-localhost}
# All addresses: of `::` too, because where a container has no ::1, it is still there at this one.
case $host in 0.0.0.0 | ::) host=127.0.0.1 ;; esac
exec 3<>"/dev/tcp/$host/${TESSERA_PORT:-4000}" || exit 1
printf 'GET /health/live HTTP/1.0\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[[ $status == 200 ]]
