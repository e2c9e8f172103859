{ config, lib, pkgs, ... }:
let
  settings = {
    devices = [
      {
        id = "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD";
        name = "nas";
      }
    ];
    folders = [
      {
        id = "photos";
        path = "/srv/photos";
        devices = [ "nas" ];
      }
    ];
  };
  file = pkgs.writeText "twinfold.json" (builtins.toJSON settings);
in
{
  systemd.services.twinfold = {
    wantedBy = [ "multi-user.target" ];
    serviceConfig.ExecStart = "/usr/local/bin/twinfold serve --home=/var/lib/twinfold --apply=${file}";
    serviceConfig.StateDirectory = "twinfold";
  };
}
